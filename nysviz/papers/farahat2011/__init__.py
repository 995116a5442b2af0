"""The experiment of Farahat, Ghodsi and Kamel 2011."""
