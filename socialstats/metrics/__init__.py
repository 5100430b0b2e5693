"""Every metric, listed by name; adding one is one line here."""

from socialstats.metrics import bradley_terry as _bradley_terry
from socialstats.registry import Metric

METRICS: dict[str, Metric] = {metric.name: metric for metric in (_bradley_terry.METRIC,)}
