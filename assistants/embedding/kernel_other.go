//go:build !amd64

package embedding

// bestKernels are those for the processor at hand.
func bestKernels() *kernels { return &portable }
