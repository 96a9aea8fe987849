package sandbox

import "sync/atomic"

// Isolation says what the children of an [Extractor] cannot do.
type Isolation struct {
	// Network is what keeps a child off the network: "none" (nothing does),
	// "filter" (it can open no socket), "namespace" (it has a network of its
	// own, without interfaces) or "namespace, filter".
	Network string `json:"network"`
	// Namespace and Filter say the same as Network, as separate values.
	Namespace bool `json:"namespace"`
	Filter    bool `json:"filter"`
	// Memory and CPU say whether the limits on them are in force.
	Memory bool `json:"memory"`
	CPU    bool `json:"cpu"`
}

// namespaces remembers whether the kernel gives children a network of their own.
type namespaces struct{ off atomic.Bool }

func (n *namespaces) wanted() bool { return canIsolate && !n.off.Load() }

func (n *namespaces) inUse() bool { return n.wanted() }

// refused reports whether err means that a child may not have a network of its own.
// If so, it also makes wanted return false from now on.
func (n *namespaces) refused(err error) bool {
	if !refusesNamespace(err) {
		return false
	}
	n.off.Store(true)
	return true
}
