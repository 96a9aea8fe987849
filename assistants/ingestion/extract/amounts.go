package extract

import "strings"

// amountColumns returns how many cells with amounts most rows of a table have.
func amountColumns(table string) int {
	count := map[int]int{}
	for row := range strings.Lines(table) {
		if n := amountsIn(strings.Split(row, "|")); n > 0 {
			count[n]++
		}
	}
	most := 0
	for n := range count {
		if count[n] > count[most] || count[n] == count[most] && n > most {
			most = n
		}
	}
	return most
}

// amountsIn returns how many cells are amounts.
func amountsIn(cells []string) int {
	n := 0
	for _, cell := range cells {
		if isAmount(cell) {
			n++
		}
	}
	return n
}

// isAmount reports whether a cell is a number that is no year or scale, or the dash of an empty one.
func isAmount(cell string) bool {
	if strings.Contains(cell, "000") && IsUnits(cell) {
		return false // "$'000"
	}
	cell = strings.Trim(cell, " \n$€£¥%()+*")
	return cell != "" && !IsYear(cell) && strings.Trim(cell, "0123456789.,'’ $€£¥-–—−()%") == ""
}
