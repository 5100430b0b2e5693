"""The Bradley-Terry family on arrays: likelihoods, Newton, existence, covariances, refits, ranks."""
