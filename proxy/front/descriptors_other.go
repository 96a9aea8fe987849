//go:build !unix

package front

// descriptorLimit is how many descriptors the process may have; 0: no bound.
func descriptorLimit() int64 { return 0 }
