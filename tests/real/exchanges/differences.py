"""What may differ, and why."""
DIFFERENCES = ()


def allowed(exchange, path, what, direct, fenced):
    return None
