"""The experiments of Zhang, Tsang and Kwok 2008."""
