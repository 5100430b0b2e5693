"""Bradley-Terry models of paired comparisons."""

from socialstats.metrics.bradley_terry.entry import METRIC
from socialstats.metrics.bradley_terry.fit import bradley_terry
from socialstats.metrics.bradley_terry.refits import BradleyTerryBootstrap
from socialstats.metrics.bradley_terry.result import BradleyTerryResult

__all__ = ["METRIC", "BradleyTerryBootstrap", "BradleyTerryResult", "bradley_terry"]
