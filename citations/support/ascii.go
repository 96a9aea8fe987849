package support

import "math"

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// decimals rounds to three decimals.
func decimals(x float64) float64 { return math.Round(x*1000) / 1000 }
