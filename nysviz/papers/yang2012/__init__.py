"""The experiments of Yang, Li, Mahdavi, Jin and Zhou 2012."""
