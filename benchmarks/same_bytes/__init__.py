"""Whether two versions of winnow write the same bytes: recipes on a fixed input, digested and compared."""
