package dot

// onEveryWay calls fn for each way that this machine has.
func onEveryWay(fn func(way string)) {
	avx2, vnni := hasAVX2, hasVNNI
	defer func() { hasAVX2, hasVNNI = avx2, vnni }()
	if vnni {
		fn("AVX-512 VNNI")
	}
	if hasVNNI = false; avx2 {
		fn("AVX2")
	}
	hasAVX2 = false
	fn("plain Go")
}
