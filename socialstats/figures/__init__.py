"""One matplotlib function a figure: rows in, Axes out; used by ``plot()`` and by the report alike.

matplotlib is imported when a figure is drawn, not before.
"""

from __future__ import annotations

from socialstats.figures.dumbbell import dumbbell
from socialstats.figures.estimation import estimation
from socialstats.figures.forest import forest
from socialstats.figures.heat import heat
from socialstats.figures.maps import possible, reconstructed
from socialstats.figures.multiples import multiples
from socialstats.figures.power import power_curve
from socialstats.figures.qq import qq
from socialstats.figures.ranks import ranks
from socialstats.figures.raters import rater_heat
from socialstats.figures.shares import Bar, shares
from socialstats.figures.squares import square, two_by_two
from socialstats.figures.trajectories import trajectories
from socialstats.figures.wins import wins

__all__ = [
    "Bar",
    "dumbbell",
    "estimation",
    "forest",
    "heat",
    "multiples",
    "possible",
    "power_curve",
    "qq",
    "ranks",
    "rater_heat",
    "reconstructed",
    "shares",
    "square",
    "trajectories",
    "two_by_two",
    "wins",
]
