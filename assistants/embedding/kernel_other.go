//go:build !amd64

package embedding

// bestKernels returns the fastest kernels that this processor can run.
func bestKernels() *kernels { return &portable }
