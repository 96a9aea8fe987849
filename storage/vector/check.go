package vector

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"footnote/assistants"
)

// MaxDimensions exceeds the dimensions of every model.
const MaxDimensions = 1 << 16

// LengthTolerance is how much the length of a vector may differ from 1.
const LengthTolerance = 1e-3

// CheckWhole checks a document with a vector for each point.
func CheckWhole(d assistants.Document, version int, points []assistants.Point, space assistants.Space, values [][]float32) error {
	if err := CheckDocument(d, version); err != nil {
		return err
	}
	if len(points) != len(values) {
		return fmt.Errorf("%w: %d vectors for %d points", assistants.ErrInvalid, len(values), len(points))
	}
	return CheckVectors(space, values)
}

// CheckDocument refuses a document without ids or with a version below 1, as ErrInvalid.
func CheckDocument(d assistants.Document, version int) error {
	if d.ID == "" || d.TenantID == "" || d.CollectionID == "" || version < 1 {
		return fmt.Errorf("%w: a document needs id, tenant, collection and version", assistants.ErrInvalid)
	}
	return nil
}

// CheckVectors checks a space and vectors of it; errors wrap ErrInvalid.
func CheckVectors(space assistants.Space, values [][]float32) error {
	if space.Model == "" || space.Dimensions < 1 || space.Dimensions > MaxDimensions {
		return fmt.Errorf("%w: no space: %+v", assistants.ErrInvalid, space)
	}
	for i, v := range values {
		if err := CheckVector(space, v); err != nil {
			return fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return nil
}

// CheckVector refuses a vector of other dimensions, or not of length 1, as ErrInvalid.
func CheckVector(space assistants.Space, v []float32) error {
	if len(v) != space.Dimensions {
		return fmt.Errorf("%w: %d dimensions in a space of %d", assistants.ErrInvalid, len(v), space.Dimensions)
	}
	if length := math.Sqrt(Cosine(v, v)); !(math.Abs(length-1) <= LengthTolerance) { // the negation catches NaN
		return fmt.Errorf("%w: a vector of length %v", assistants.ErrInvalid, length)
	}
	return nil
}

// CompareSpaces orders spaces by model, then by dimensions.
func CompareSpaces(x, y assistants.Space) int {
	return cmp.Or(strings.Compare(x.Model, y.Model), cmp.Compare(x.Dimensions, y.Dimensions))
}

// Cosine multiplies two vectors of length 1. Sums of float64 in one order give
// the same cosine on every machine.
func Cosine(x, y []float32) float64 {
	var a, b, c, d float64
	n := len(x) &^ 3
	y = y[:len(x)]
	for i := 0; i < n; i += 4 {
		a += float64(x[i]) * float64(y[i])
		b += float64(x[i+1]) * float64(y[i+1])
		c += float64(x[i+2]) * float64(y[i+2])
		d += float64(x[i+3]) * float64(y[i+3])
	}
	for i := n; i < len(x); i++ {
		a += float64(x[i]) * float64(y[i])
	}
	return (a + b) + (c + d)
}
