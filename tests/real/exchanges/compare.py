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
    """Items of one identity are one item, wherever they stand; others go by what stands between what is the same."""
    left, right = ([identity(item) for item in items] for items in (direct, fenced))
    known = {one for one in {*left, *right} if one and left.count(one) <= 1 and right.count(one) <= 1}
    items = [{one: item for one, item in zip(names, items) if one in known} for names, items in ((left, direct), (right, fenced))]
    for one in sorted(known):
        if one not in items[1]:
            yield path, "absent", items[0][one], None
        elif one not in items[0]:
            yield path, "added", None, items[1][one]
        else:
            yield from differences(items[0][one], items[1][one], path)
    yield from _of_lines(*([item for one, item in zip(names, items) if one not in known] for names, items in ((left, direct), (right, fenced))), path)


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
