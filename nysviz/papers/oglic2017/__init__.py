"""Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017."""
