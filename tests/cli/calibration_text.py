"""The section of a device in a file of calibrations, for tests that need one whether the machine is quiet or not."""


def section_of(found):
    """What calibrate writes, of the figures that it shows."""
    ns = lambda values: " ".join(str(max(1, round(it * 1e9))) for it in values)
    percent = lambda values: " ".join(str(max(1, round(it * 100))) for it in values)
    lines = [found["header"], "# clmove 0 calibrate, 2000-01-01"]
    lines += [f"{name}_ns = {ns(values)}" for name, values in found["seconds"].items()]
    if found["launch_seconds"] is not None:
        lines.append(f"launch_ns = {ns([found['launch_seconds']])}")
    lines.append(f"noise_percent = {round(found['noise'] * 100)}")
    lines.append("measured_sizes = " + " ".join(str(it) for it in found["measured_sizes"].values()))
    for place, patterns in found["slowdown"].items():
        lines += [f"{place}_{name}_percent = {percent(values)}" for name, values in patterns.items()]
    return "\n".join(lines) + "\n"
