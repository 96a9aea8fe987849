package support

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

// A unit is a dimension and a factor to its first unit. Money has a currency
// instead.
type unit struct {
	names    string
	dim      dimension
	factor   float64
	currency uint8
}

// unitList is searched by folded names; "fr:" before one restricts it to French.
var unitList = []unit{
	{"percent percents prozent pct pourcent", percent, 1, 0},
	{"prozentpunkt prozentpunkte prozentpunkten", points, 1, 0},
	{"dollar dollars usd us-dollar", money, 1, 1},
	{"euro euros eur", money, 1, 2},
	{"pound pounds gbp sterling pfund", money, 1, 3},
	{"yen jpy yens", money, 1, 4},
	{"franken chf francs franc rappen", money, 1, 5},
	{"yuan renminbi cny rmb", money, 1, 6},
	{"rupee rupees inr rupien roupies", money, 1, 7},
	{"kronen krone sek nok dkk couronnes", money, 1, 8},
	{"cent cents", money, .01, 0},
	{"mm millimeter millimetre millimeters millimetres millimetern millimètre millimètres", length, .001, 0},
	{"cm centimeter centimetre centimeters centimetres zentimeter zentimetern centimètre centimètres", length, .01, 0},
	{"m meter meters metre metres metern mètre mètres", length, 1, 0},
	{"km kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres", length, 1000, 0},
	{"mile miles meile meilen mi", length, 1609.344, 0},
	{"foot feet ft fuss pied pieds", length, .3048, 0},
	{"inch inches zoll pouce pouces", length, .0254, 0},
	{"yard yards", length, .9144, 0},
	{"hectare hectares hektar ha", area, 1e4, 0},
	{"acre acres", area, 4046.86, 0},
	{"sqm qm quadratmeter quadratmetern", area, 1, 0},
	{"qkm quadratkilometer quadratkilometern", area, 1e6, 0},
	{"ml milliliter millilitre milliliters millilitres", volume, .001, 0},
	{"l liter liters litre litres litern", volume, 1, 0},
	{"kubikmeter kubikmetern", volume, 1000, 0},
	{"gallon gallons gallone gallonen", volume, 3.785, 0},
	{"barrel barrels barils", volume, 158.987, 0},
	{"mg milligram milligrams milligramm milligramme milligrammes", mass, 1e-6, 0},
	{"g gram grams gramm gramme grammes", mass, .001, 0},
	{"kg kilogram kilograms kilo kilos kilogramm kilogrammes", mass, 1, 0},
	{"tonne tonnes ton tons tonnen", mass, 1000, 0},
	{"gigatonne gigatonnes gigatons gigatonnen gt", mass, 1e12, 0},
	{"megatonne megatonnes megatonnen", mass, 1e9, 0},
	{"ounce ounces oz unze unzen", mass, .02835, 0},
	{"lb lbs", mass, .4536, 0},
	{"ms millisecond milliseconds millisekunde millisekunden milliseconde millisecondes", duration, .001, 0},
	{"s second seconds sec sekunde sekunden seconde secondes", duration, 1, 0},
	{"minute minutes min minuten", duration, 60, 0},
	{"hour hours h hr hrs stunde stunden heure heures", duration, 3600, 0},
	{"day days tag tage tagen tages jour jours", duration, 86400, 0},
	{"week weeks woche wochen semaine semaines", duration, 7 * 86400, 0},
	{"month months monat monate monaten mois", calendar, 1, 0},
	{"year years yr yrs jahr jahre jahren fr:an fr:ans année années", calendar, 12, 0},
	{"decade decades jahrzehnt jahrzehnte jahrzehnten décennie décennies", calendar, 120, 0},
	{"century centuries jahrhundert jahrhunderte jahrhunderts siècle siècles", calendar, 1200, 0},
	{"celsius", temperature, 1, 0},
	{"fahrenheit", fahrenheit, 1, 0},
	{"wh wattstunden", energy, 1, 0},
	{"kwh kilowattstunde kilowattstunden", energy, 1e3, 0},
	{"mwh megawattstunden", energy, 1e6, 0},
	{"gwh gigawattstunden", energy, 1e9, 0},
	{"twh terawattstunden", energy, 1e12, 0},
	{"kcal", energy, 1163, 0},
	{"w watt watts", power, 1, 0},
	{"kw kilowatt kilowatts", power, 1e3, 0},
	{"mw megawatt megawatts", power, 1e6, 0},
	{"gw gigawatt gigawatts", power, 1e9, 0},
	{"byte bytes", data, 1, 0},
	{"kb kilobyte kilobytes", data, 1e3, 0},
	{"mb megabyte megabytes fr:mo fr:mégaoctets", data, 1e6, 0},
	{"gb gigabyte gigabytes fr:go fr:gigaoctets fr:gigaoctet", data, 1e9, 0},
	{"tb terabyte terabytes fr:to fr:téraoctets", data, 1e12, 0},
	{"hz hertz", frequency, 1, 0},
	{"khz kilohertz", frequency, 1e3, 0},
	{"mhz megahertz", frequency, 1e6, 0},
	{"ghz gigahertz", frequency, 1e9, 0},
	{"v volt volts", voltage, 1, 0},
	{"kv kilovolt", voltage, 1e3, 0},
	{"bar", pressure, 1, 0},
	{"psi", pressure, .0689, 0},
	{"mph", speed, 1.609, 0},
	{"kmh", speed, 1, 0},
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
