package support

import (
	"strconv"
	"strings"
)

// dimension is the kind of quantity that a number counts. Numbers of different
// dimensions are never the same fact; one without a dimension can equal one with.
type dimension uint8

const (
	countless dimension = iota
	percent
	points // percentage points
	money
	length
	area
	volume
	mass
	duration
	calendar // months and years, which have no fixed length
	temperature
	fahrenheit
	energy
	power
	data
	frequency
	voltage
	pressure
	speed
	age
)

var dimensionNames = map[string]dimension{
	"percent": percent, "points": points, "money": money, "length": length, "area": area, "volume": volume,
	"mass": mass, "duration": duration, "calendar": calendar, "temperature": temperature,
	"fahrenheit": fahrenheit, "energy": energy, "power": power, "data": data, "frequency": frequency,
	"voltage": voltage, "pressure": pressure, "speed": speed,
}

// A unit is a dimension and a factor to its first unit. Money has a currency, too.
type unit struct {
	dim      dimension
	factor   float64
	currency uint8
}

// addUnits adds the words of units.
func (x *lexicon) addUnits(text string) {
	for line := range lines(text) {
		fields := strings.Fields(line)
		name, currency, _ := strings.Cut(fields[0], ":")
		u := unit{dim: dimensionNames[name]}
		var err error
		if u.factor, err = strconv.ParseFloat(fields[1], 64); err != nil || u.dim == countless {
			panic("citations: no unit: " + line)
		}
		if n, err := strconv.ParseUint(currency, 10, 8); err == nil {
			u.currency = uint8(n)
		}
		x.units = append(x.units, u)
		for _, w := range fields[2:] {
			w, only := strings.CutPrefix(w, "fr:")
			e := x.word(w)
			for l := range languages {
				if !only || l == french {
					x.of(e, l).class |= classUnit
					x.of(e, l).unit = uint16(len(x.units))
				}
			}
		}
	}
}

// measure returns the unit that a word is; without a dimension if it is none.
func (s *sense) measure() unit {
	if s.unit == 0 {
		return unit{}
	}
	return theLexicon().units[s.unit-1]
}

// scaleLetter returns the scale of a letter directly after a number: 4.2B, 10k, 5M.
func scaleLetter(c byte) float64 {
	switch c {
	case 'k', 'K':
		return 1e3
	case 'M':
		return 1e6
	case 'B':
		return 1e9
	case 'T':
		return 1e12
	}
	return 0
}

// currencyOf returns the currency of a sign.
func currencyOf(r rune) uint8 {
	switch r {
	case '$', '＄':
		return 1
	case '€':
		return 2
	case '£':
		return 3
	case '¥', '￥', '円', '元':
		return 4
	case '₹':
		return 7
	}
	return 0
}
