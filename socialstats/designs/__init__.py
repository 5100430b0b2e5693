"""From columns to checked designs: what is read, what is left out, what depends on what.

A table becomes a design in the same steps for comparisons, pairs, independent groups, ratings and lists of labels:

1. Columns. `schema` finds the column of each part of the design; `columns` adds the pairs of columns of comparisons,
   and `repeated_answers` decides from the structure of the table which rows are repeats. `roles`, `answer_columns`,
   `boards` and `group_columns` decide what may be compared, answered and met. Names come from `vocabulary`.
2. Rows. `rows` counts the distinct rows of these columns, says which of them count, and collects what is wrong with
   them; `tables` finds frequencies, and stacks wide tables.
3. Values. `winners` and `covariates` decode comparisons, `contrasts_reading` the values of pairs and groups,
   `ratings_reading` levels and scales; `means` averages repeats.
4. The data of the design. `cells` counts equal rows together; `comparisons_data`, `contrasts` with `paired_data` and
   `groups_data`, `ratings_data` and `label_lists` hold what is left, with `parts` such as factors. They know no tables.
5. `undeclared` says what columns that were not declared would do to standard errors.
6. The class of the design, above its readers: `comparisons`, `paired`, `groups` and `ratings` add to the data the
   constructors that read a table, an array or a file (`constructors`).

`calls` makes a design of a table for a function, by its keywords or a formula (`formulas`, `terms`). `files` has the
functions that read a file. Clusters and covariates of very long tables stay with the table (`scan`).
"""
