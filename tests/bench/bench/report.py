"""Medians over the rounds, ratios round by round, the table, the file, and the gate."""

import json
import statistics

from bench.scenarios import SCENARIOS


class Figures:
    """`add` takes what a round has given; everything else is told from that."""

    def __init__(self):
        self.rounds = {}   # (scenario, target) -> a list of figures by name

    def add(self, scenario, target, figures):
        self.rounds.setdefault((scenario, target), []).append(figures)

    def values(self, scenario, target, figure):
        return [each[figure] for each in self.rounds.get((scenario, target), []) if figure in each]

    def median(self, scenario, target, figure):
        values = self.values(scenario, target, figure)
        return statistics.median(values) if values else None

    def spread(self, scenario, target, figure):
        """Largest minus smallest round, over the median."""
        values = self.values(scenario, target, figure)
        middle = statistics.median(values) if values else 0
        return (max(values) - min(values)) / middle if middle else 0.0

    def ratio(self, scenario, target, against, figure):
        """The median of the rounds' own ratios: what slows a whole round down does not count."""
        pairs = zip(self.values(scenario, target, figure), self.values(scenario, against, figure))
        ratios = [mine / theirs for mine, theirs in pairs if theirs]
        return statistics.median(ratios) if ratios else None

    def targets(self):
        return list(dict.fromkeys(target for _, target in self.rounds))


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(figures, against):
    """Markdown: a row for each scenario, its chief number for each target with the ratio to `against`."""
    targets = figures.targets()
    lines = [f"| | {' | '.join(targets)} |", "| --- |" + " ---: |" * len(targets)]
    units = {"rate": "1/s", "p50": "p50 us", "gib": "GiB/s"}

    def row(title, name, figure, with_ratio):
        cells = []
        for target in targets:
            value, text = figures.median(name, target, figure), "-"
            if value is not None:
                text = number(value)
                ratio = figures.ratio(name, target, against, figure) if with_ratio else None
                text += f" ({ratio:.2f})" if ratio is not None else ""
            cells.append(text)
        if set(cells) != {"-"}:
            lines.append(f"| {title} | {' | '.join(cells)} |")

    for each in SCENARIOS:
        row(f"{each.name}, {units[each.main]}", each.name, each.main, True)
    for each in SCENARIOS:
        if each.main == "rate":
            row(f"{each.name}, CPU us", each.name, "cpu_us", True)
        if each.main == "gib":
            row(f"{each.name}, CPU s/GiB", each.name, "cpu_gib", True)
    for each in SCENARIOS:
        if each.main == "rate":
            row(f"{each.name}, upstream requests", each.name, "upstream", False)
    row("build context, GiB/s", "build", "gib", False)
    row("build context, beside a copy through a file", "build", "of_copy", False)
    for figure, title in (("fresh", "fresh"), ("idle", "idle connection"), ("stream", "stream of events"), ("peak", "peak of all")):
        row(f"memory, {title}, KiB", "memory", figure, False)
    return "\n".join(lines)


def write_tsv(figures, path):
    with open(path, "w") as file:
        file.write("scenario\ttarget\tfigure\tmedian\tspread\trounds\n")
        for scenario, target in figures.rounds:
            for figure in figures.rounds[scenario, target][0]:
                rounds = " ".join(f"{value:.6g}" for value in figures.values(scenario, target, figure))
                file.write(f"{scenario}\t{target}\t{figure}\t{figures.median(scenario, target, figure):.6g}\t"
                           f"{figures.spread(scenario, target, figure):.2f}\t{rounds}\n")


def read_wanted(path):
    return json.loads(path.read_text())["targets"]


def judged(figures, wanted):
    """What one row of targets.json asks, and what came: (text, value, held). `value` None: it was not measured."""
    scenario, figure, against = wanted["scenario"], wanted["figure"], wanted.get("against")
    if against is None:
        value = figures.median(scenario, "podfence", figure)
    elif "plus" in wanted:
        mine, theirs = figures.median(scenario, "podfence", figure), figures.median(scenario, against, figure)
        value = None if mine is None or theirs is None else mine - theirs
    else:
        value = figures.ratio(scenario, "podfence", against, figure)
    most, least = wanted.get("most", wanted.get("plus")), wanted.get("least")
    bound = f"at most {most}" if least is None else f"at least {least}"
    what = f"{scenario} {figure}" + (f" {'less' if 'plus' in wanted else 'over'} {against}'s" if against else "")
    held = value is not None and (value <= most if least is None else value >= least)
    return f"{what}: {bound}", value, held


def missed(figures, wanted):
    return [each for each in wanted if judged(figures, each)[1] is not None and not judged(figures, each)[2]]


def is_close(figures, wanted):
    """By no more than a tenth: that may be noise."""
    value = judged(figures, wanted)[1]
    least = wanted.get("least")
    return value >= 0.9 * least if least is not None else value <= 1.1 * wanted.get("most", wanted.get("plus"))
