# Figures: those that Python draws, and a chart of estimates and intervals by ggplot2.

plot.socialstats_result <- function(x, ..., file = NULL, width = 0, height = 0) {
  target <- if (is.null(file)) tempfile(fileext = ".png") else path.expand(file)
  if (!dir.exists(dirname(target)))
    raise("file = '", file, "': there is no folder ", dirname(target), ". Make it first.", class = "input_error")
  answer(bridge()$draw(pointer(x), target, width, height, 200, to_python(list(...), named = TRUE)), sys.call())
  if (is.null(file)) {
    on.exit(unlink(target))
    grid::grid.newpage()
    grid::grid.raster(png::readPNG(target))
  }
  invisible(x)
}

autoplot.socialstats_result <- function(object, ...) {
  none(..., of = "autoplot()")
  rows <- as.data.frame(tidy(object))
  rows <- rows[!is.na(rows$estimate), ]
  rows$label <- factor(rows$term, levels = rev(unique(rows$term)))
  panels <- intersect(c("by", "group"), names(rows)[vapply(rows, function(one) length(unique(one)) > 1, NA)])
  rows[panels] <- lapply(rows[panels], function(one) factor(one, levels = unique(one)))
  mapping <- ggplot2::aes(x = .data$estimate, y = .data$label, xmin = .data$conf.low, xmax = .data$conf.high)
  chart <- ggplot2::ggplot(rows, mapping) + ggplot2::geom_pointrange(na.rm = TRUE) +
    ggplot2::labs(x = "estimate", y = NULL, title = object$title, caption = object$inference)
  if (length(panels))
    chart <- chart + ggplot2::facet_wrap(panels, scales = "free", ncol = 1)
  chart
}
