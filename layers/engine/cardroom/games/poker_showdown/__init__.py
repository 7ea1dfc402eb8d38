"""A poker showdown: the best hands share the pot; and the deal of a seven-card stud round."""
