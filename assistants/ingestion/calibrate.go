package ingestion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"footnote/assistants"
)

const (
	// sampleSize is how many vectors a calibration is computed from.
	sampleSize = 200
	// leastSample is the smallest sample that a calibration is computed from.
	leastSample = 16
	// leastWidth is the least distance between the cosines for 0 and for 1, so that
	// small differences do not decide.
	leastWidth = 0.05
)

// calibrate computes the calibration of a collection's space after passages were
// added. It does so if there is none yet, or if the collection has twice as many
// passages as at the last calibration.
func (w *Worker) calibrate(ctx context.Context, c assistants.Collection, passages int) error {
	if _, known := assistants.KnownCalibration(c.Space.Model); known || !c.Next.IsZero() {
		return nil // the next space is calibrated when it becomes the current one
	}
	grown := w.addGrowth(c.ID, passages)
	if grown < max(c.Calibrated, leastSample) {
		return nil
	}
	uses, err := w.store.CollectionUses(ctx, c.TenantID, []assistants.CollectionID{c.ID})
	if err != nil {
		return fmt.Errorf("count the collection's passages: %w", err)
	}
	embedded := uses[c.ID].Embedded
	if embedded < max(2*c.Calibrated, leastSample) {
		return nil
	}
	calibration, err := w.sampled(ctx, c, c.Space)
	if err != nil {
		return err
	}
	err = w.store.Calibrate(ctx, c.TenantID, c.ID, c.Space, calibration, embedded)
	if err != nil && !isObsolete(err) {
		return fmt.Errorf("calibrate: %w", err)
	}
	w.addGrowth(c.ID, -grown)
	return nil
}

// growth counts the passages that were added to collections since they were calibrated.
type growth struct {
	mu sync.Mutex
	by map[assistants.CollectionID]int
}

// addGrowth adds to the count of a collection and returns the sum.
func (w *Worker) addGrowth(id assistants.CollectionID, by int) int {
	w.growth.mu.Lock()
	defer w.growth.mu.Unlock()
	if w.growth.by == nil {
		w.growth.by = map[assistants.CollectionID]int{}
	}
	w.growth.by[id] += by
	return w.growth.by[id]
}

// sampled returns the known calibration of a model, or computes one from a sample of
// the collection.
func (w *Worker) sampled(ctx context.Context, c assistants.Collection, space assistants.Space) (assistants.Calibration, error) {
	if known, ok := assistants.KnownCalibration(space.Model); ok {
		return known, nil
	}
	sample, err := w.index.Sample(ctx, c.TenantID, c.ID, space, sampleSize)
	if err != nil {
		return assistants.Calibration{}, fmt.Errorf("sample the collection: %w", err)
	}
	return calibration(sample), nil
}

// calibration maps a model's cosines to scores, from the vectors of a sample of
// passages. The usual cosine of two unrelated passages becomes 0, and that of
// nearest neighbours becomes 1. A sample that is too small gives no calibration.
func calibration(sample [][]float32) assistants.Calibration {
	if len(sample) < leastSample {
		return assistants.Calibration{}
	}
	var sum, squares float64
	nearest := make([]float64, len(sample))
	for i := range nearest {
		nearest[i] = -1
	}
	for i, a := range sample {
		for j, b := range sample[:i] {
			cosine := dot(a, b)
			sum += cosine
			squares += cosine * cosine
			nearest[i], nearest[j] = max(nearest[i], cosine), max(nearest[j], cosine)
		}
	}
	pairs := float64(len(sample) * (len(sample) - 1) / 2)
	mean := sum / pairs
	low := mean + math.Sqrt(max(0, squares/pairs-mean*mean))
	// The upper quartile: in a sample most passages have lost their real neighbours.
	slices.Sort(nearest)
	high := nearest[len(nearest)*3/4]
	return assistants.Calibration{Low: low, High: max(high, low+leastWidth)}
}

func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// swapFinishedSpace makes the next space of a collection its current one when all
// live versions are embedded in it, and drops the vectors of the old space.
func (w *Worker) swapFinishedSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID) error {
	if id == "" {
		return nil // a job of an older version of this program
	}
	found, err := w.store.Collections(ctx, tenant, []assistants.CollectionID{id})
	if err != nil || len(found) == 0 || found[0].Next.IsZero() {
		return err
	}
	c := found[0]
	uses, err := w.store.CollectionUses(ctx, tenant, []assistants.CollectionID{id})
	if err != nil {
		return fmt.Errorf("count the collection's passages: %w", err)
	}
	if uses[id].Queued > 0 {
		return nil
	}
	calibration, err := w.sampled(ctx, c, c.Next)
	if err != nil {
		return err
	}
	old, swapped, err := w.store.SwapSpace(ctx, tenant, id, c.Next, calibration, uses[id].Passages)
	if errors.Is(err, assistants.ErrNotFound) || err == nil && !swapped {
		return nil
	}
	if err != nil {
		return fmt.Errorf("swap the collection's space: %w", err)
	}
	w.cfg.Log.Info("collection is embedded anew", "collection", id, "model", c.Next.Model, "before", old.Model)
	if old.IsZero() {
		return nil
	}
	if err := w.index.DropVectors(ctx, id, old); err != nil {
		return fmt.Errorf("drop the vectors of the old space: %w", err) // the next check does it
	}
	return nil
}
