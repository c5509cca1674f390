#!/usr/bin/python3
"""Holds every line of audit logs against their schema: records.py SCHEMA LOG... Prints what is wrong, and then the number of
lines. By Debian's jsonschema, a reader that podfence has no part in."""

import json
import sys

import jsonschema


def main(schema, *logs):
    with open(schema) as file:
        validator = jsonschema.Draft4Validator(json.load(file))
    lines = 0
    for log in logs:
        with open(log, encoding="ascii") as file:
            for line in file:
                lines += 1
                try:
                    wrong = [error.message for error in validator.iter_errors(json.loads(line))]
                except ValueError as error:
                    wrong = [str(error)]
                for each in wrong[:3]:
                    print(f"{log}:{lines}: {each[:200]}: {line[:300]}")
    print(lines)


main(*sys.argv[1:])
