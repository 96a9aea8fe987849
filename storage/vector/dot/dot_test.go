package dot

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCodesAreExactOnEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	code := func(extreme bool) int8 {
		if extreme {
			return []int8{-127, 127}[rng.IntN(2)]
		}
		return int8(rng.IntN(255) - 127)
	}
	for _, length := range []int{64, 128, 384, 1024, 3072} {
		for _, n := range []int{0, 4, 8, 100} {
			for _, extreme := range []bool{false, true} {
				q, vectors := make([]int8, length), make([]int8, n*length)
				for i := range q {
					q[i] = code(extreme)
				}
				for i := range vectors {
					vectors[i] = code(extreme)
				}
				copy(vectors, q) // the largest sum there is
				want := make([]int32, n)
				for i := range want {
					for j := range q {
						want[i] += int32(q[j]) * int32(vectors[i*length+j])
					}
				}
				onEveryWay(func(way string) {
					got := make([]int32, n)
					Codes(got, vectors, q)
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("%s: %d of %d codes: vector %d gives %d, want %d", way, n, length, i, got[i], want[i])
						}
					}
				})
			}
		}
	}
}

func TestFloatsAreTheSameOnEveryWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, length := range []int{32, 64, 384, 1536} {
		for _, n := range []int{0, 1, 3, 50} {
			q, vectors := make([]float32, length), make([]float32, n*length)
			for i := range q {
				q[i] = rng.Float32() - 0.5
			}
			for i := range vectors {
				vectors[i] = rng.Float32() - 0.5
			}
			onEveryWay(func(way string) {
				got := make([]float32, n)
				Floats(got, vectors, q)
				for i := range got {
					want, size := 0.0, 0.0
					for j := range q {
						part := float64(q[j]) * float64(vectors[i*length+j])
						want += part
						size += math.Abs(part)
					}
					if math.Abs(float64(got[i])-want) > size*float64(length)/(1<<24) {
						t.Fatalf("%s: %d floats: %v, want %v", way, length, got[i], want)
					}
				}
			})
		}
	}
}

func TestLengthsThatDoNotFitAreRefused(t *testing.T) {
	for what, call := range map[string]func(){
		"few vectors": func() { Floats(make([]float32, 2), make([]float32, 32), make([]float32, 32)) },
		"no lanes":    func() { Floats(make([]float32, 1), make([]float32, 3), make([]float32, 3)) },
		"no query":    func() { Floats(nil, nil, nil) },
		"few codes":   func() { Codes(make([]int32, 4), make([]int8, 64), make([]int8, 64)) },
		"no group":    func() { Codes(make([]int32, 1), make([]int8, 64), make([]int8, 64)) },
		"short codes": func() { Codes(make([]int32, 4), make([]int8, 128), make([]int8, 32)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", what)
				}
			}()
			call()
		}()
	}
}

// The distance that Quantise promises holds, so that bounds made of it do.
func TestCodesAreAsNearAsQuantiseSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 2000 {
		v := make([]float32, 1+rng.IntN(400))
		for i := range v {
			v[i] = float32(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(7)-5)))
		}
		if n%50 == 0 {
			clear(v)
		}
		to := make([]int8, PadCodes(len(v)))
		to[len(to)-1] = 7
		scale, distance := Quantise(to, v)
		sum, size := 0.0, 0.0
		for i, code := range to {
			x := 0.0
			if i < len(v) {
				x = float64(v[i])
			}
			if code == -128 {
				t.Fatal("the code that does not fit")
			}
			sum += (x - float64(scale)*float64(code)) * (x - float64(scale)*float64(code))
			size += x * x
		}
		if math.Sqrt(sum) > float64(distance) || float64(distance) > math.Sqrt(size) {
			t.Fatalf("distance %v of %v, promised %v", math.Sqrt(sum), math.Sqrt(size), distance)
		}
	}
}
