"""What papers after the four say of methods that are here as well: experiments and claims."""
