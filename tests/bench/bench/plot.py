"""Plots as SVG: points and lines on two axes that both grow by factors."""

import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 460, 300, 70, 40, 20, 50
COLOURS = ("#1f5fa8", "#b3541e", "#3f7f3f")


def slope(points):
    """By which power of x does y grow? Least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    middle_x = sum(x for x, _ in logs) / len(logs)
    middle_y = sum(y for _, y in logs) / len(logs)
    return (sum((x - middle_x) * (y - middle_y) for x, y in logs) / sum((x - middle_x) ** 2 for x, _ in logs)) if len(logs) > 1 else 0.0


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)


def label(power):
    value = 10 ** power
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def chart(title, x_title, lines):
    """`lines`: name -> points. One chart, as a group of SVG."""
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points if y > 0]
    (x_low, x_high), (y_low, y_high) = decades(xs), decades(ys)
    y_high = max(y_high, y_low + 1)

    def place(x, y):
        return (LEFT + (math.log10(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (math.log10(y) - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM))

    parts = [f'<text x="{LEFT}" y="20" font-weight="bold">{title}</text>',
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{x_title}</text>']
    for power in range(x_low, x_high + 1):
        x, _ = place(10 ** power, 10 ** y_low)
        parts.append(f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                     f'<text x="{x:.0f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{label(power)}</text>')
    for power in range(y_low, y_high + 1):
        _, y = place(10 ** x_low, 10 ** power)
        parts.append(f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - RIGHT}" y2="{y:.0f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{label(power)}</text>')
    for colour, (name, points) in zip(COLOURS, lines.items()):
        shown = [place(x, y) for x, y in points if y > 0]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{way}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in shown]
        row = list(lines).index(name)
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + 14 + 15 * row}" fill="{colour}">{name}: slope {slope(points):.2f}</text>')
    return "\n".join(parts)


def write(path, charts):
    """Charts beside each other."""
    groups = "\n".join(f'<g transform="translate({i * WIDTH},0)">\n{text}\n</g>' for i, text in enumerate(charts))
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(charts)}" height="{HEIGHT}" font-family="sans-serif" '
                    f'font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{groups}\n</svg>\n')
