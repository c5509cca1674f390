"""Where two documents differ, as paths: `body.Mounts[].Source`."""

import json
from difflib import SequenceMatcher

from exchanges.normal import IDENTITIES


def identity(item):
    if isinstance(item, dict):
        for key in IDENTITIES:
            if item.get(key):
                return json.dumps(item[key])
    return None


def differences(direct, fenced, path=""):
    """(path, what: absent, added or other, direct, fenced)"""
    if isinstance(direct, dict) and isinstance(fenced, dict):
        for key in list(direct) + [key for key in fenced if key not in direct]:
            where = f"{path}.{key}" if path else key
            if key not in fenced:
                yield where, "absent", direct[key], None
            elif key not in direct:
                yield where, "added", None, fenced[key]
            else:
                yield from differences(direct[key], fenced[key], where)
    elif isinstance(direct, list) and isinstance(fenced, list):
        yield from _of_lists(direct, fenced, path + "[]")
    elif type(direct) is not type(fenced) or direct != fenced:
        yield path, "other", direct, fenced


def _of_lists(direct, fenced, path):
    """Items of one identity are one item, wherever they stand; others by what stands between what is the same."""
    left, right = [identity(item) for item in direct], [identity(item) for item in fenced]
    if None in left + right or len(set(left)) < len(left) or len(set(right)) < len(right):
        yield from _of_lines(direct, fenced, path)
        return
    direct, fenced = dict(zip(left, direct)), dict(zip(right, fenced))
    for key in left + [key for key in right if key not in direct]:
        if key not in fenced:
            yield path, "absent", direct[key], None
        elif key not in direct:
            yield path, "added", None, fenced[key]
        else:
            yield from differences(direct[key], fenced[key], path)


def _of_lines(direct, fenced, path):
    texts = [[json.dumps(item, sort_keys=True) for item in items] for items in (direct, fenced)]
    for what, start, end, other_start, other_end in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        left, right = direct[start:end], fenced[other_start:other_end]
        if len(left) == len(right):
            for one, other in zip(left, right):
                yield from differences(one, other, path)
            continue
        yield from ((path, "absent", item, None) for item in left)
        yield from ((path, "added", None, item) for item in right)
