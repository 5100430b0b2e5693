library(testthat)
library(socialstats)

test_check("socialstats")
