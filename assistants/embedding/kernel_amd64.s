#include "textflag.h"

// Constants of the row functions, each one number that is broadcast.
// e^x: x = n·ln2 + r, a polynomial in r, and n added to the exponent. ln2 is
// split in two, so that n·ln2 is exact.
DATA  expLowest<>+0(SB)/4, $-87.33654
DATA  expLog2e<>+0(SB)/4, $1.44269504
DATA  expLn2High<>+0(SB)/4, $0.693359375
DATA  expLn2Low<>+0(SB)/4, $-2.12194440e-4
DATA  expP0<>+0(SB)/4, $1.9875691500e-4
DATA  expP1<>+0(SB)/4, $1.3981999507e-3
DATA  expP2<>+0(SB)/4, $8.3334519073e-3
DATA  expP3<>+0(SB)/4, $4.1665795894e-2
DATA  expP4<>+0(SB)/4, $1.6666665459e-1
DATA  expP5<>+0(SB)/4, $5.0000001201e-1
DATA  one<>+0(SB)/4, $1.0
DATA  exponentBias<>+0(SB)/4, $127
GLOBL expLowest<>(SB), RODATA|NOPTR, $4
GLOBL expLog2e<>(SB), RODATA|NOPTR, $4
GLOBL expLn2High<>(SB), RODATA|NOPTR, $4
GLOBL expLn2Low<>(SB), RODATA|NOPTR, $4
GLOBL expP0<>(SB), RODATA|NOPTR, $4
GLOBL expP1<>(SB), RODATA|NOPTR, $4
GLOBL expP2<>(SB), RODATA|NOPTR, $4
GLOBL expP3<>(SB), RODATA|NOPTR, $4
GLOBL expP4<>(SB), RODATA|NOPTR, $4
GLOBL expP5<>(SB), RODATA|NOPTR, $4
GLOBL one<>(SB), RODATA|NOPTR, $4
GLOBL exponentBias<>(SB), RODATA|NOPTR, $4

// erf(t) = t·P(t²)/Q(t²) for |t| ≤ 4, beyond which it is ±1.
DATA  erfBound<>+0(SB)/4, $4.0
DATA  erfLowest<>+0(SB)/4, $-4.0
DATA  halfRoot<>+0(SB)/4, $0.70710678
DATA  half<>+0(SB)/4, $0.5
DATA  erfP13<>+0(SB)/4, $-2.72614225801306e-10
DATA  erfP11<>+0(SB)/4, $2.77068142495902e-08
DATA  erfP9<>+0(SB)/4, $-2.10102402082508e-06
DATA  erfP7<>+0(SB)/4, $-5.69250639462346e-05
DATA  erfP5<>+0(SB)/4, $-7.34990630326855e-04
DATA  erfP3<>+0(SB)/4, $-2.95459980854025e-03
DATA  erfP1<>+0(SB)/4, $-1.60960333262415e-02
DATA  erfQ8<>+0(SB)/4, $-1.45660718464996e-05
DATA  erfQ6<>+0(SB)/4, $-2.13374055278905e-04
DATA  erfQ4<>+0(SB)/4, $-1.68282697438203e-03
DATA  erfQ2<>+0(SB)/4, $-7.37332916720468e-03
DATA  erfQ0<>+0(SB)/4, $-1.42647390514189e-02
GLOBL erfBound<>(SB), RODATA|NOPTR, $4
GLOBL erfLowest<>(SB), RODATA|NOPTR, $4
GLOBL halfRoot<>(SB), RODATA|NOPTR, $4
GLOBL half<>(SB), RODATA|NOPTR, $4
GLOBL erfP13<>(SB), RODATA|NOPTR, $4
GLOBL erfP11<>(SB), RODATA|NOPTR, $4
GLOBL erfP9<>(SB), RODATA|NOPTR, $4
GLOBL erfP7<>(SB), RODATA|NOPTR, $4
GLOBL erfP5<>(SB), RODATA|NOPTR, $4
GLOBL erfP3<>(SB), RODATA|NOPTR, $4
GLOBL erfP1<>(SB), RODATA|NOPTR, $4
GLOBL erfQ8<>(SB), RODATA|NOPTR, $4
GLOBL erfQ6<>(SB), RODATA|NOPTR, $4
GLOBL erfQ4<>(SB), RODATA|NOPTR, $4
GLOBL erfQ2<>(SB), RODATA|NOPTR, $4
GLOBL erfQ0<>(SB), RODATA|NOPTR, $4

// func tileAVX2(depth int, a *float32, lda int, panel *float32, c *float32, ldc int)
// Twelve registers hold the tile, two a row of the panel, two an element of a.
TEXT ·tileAVX2(SB), NOSPLIT, $0-48
	MOVQ   depth+0(FP), CX
	MOVQ   a+8(FP), SI
	MOVQ   lda+16(FP), R8
	MOVQ   panel+24(FP), DI
	MOVQ   c+32(FP), DX
	MOVQ   ldc+40(FP), R9
	SHLQ   $2, R8
	SHLQ   $2, R9
	LEAQ   (SI)(R8*2), R10
	ADDQ   R8, R10 // the fourth row
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

tileLoop:
	VMOVUPS      (DI), Y12
	VMOVUPS      32(DI), Y13
	VBROADCASTSS (SI), Y14
	VBROADCASTSS (SI)(R8*1), Y15
	VFMADD231PS  Y12, Y14, Y0
	VFMADD231PS  Y13, Y14, Y1
	VFMADD231PS  Y12, Y15, Y2
	VFMADD231PS  Y13, Y15, Y3
	VBROADCASTSS (SI)(R8*2), Y14
	VBROADCASTSS (R10), Y15
	VFMADD231PS  Y12, Y14, Y4
	VFMADD231PS  Y13, Y14, Y5
	VFMADD231PS  Y12, Y15, Y6
	VFMADD231PS  Y13, Y15, Y7
	VBROADCASTSS (R10)(R8*1), Y14
	VBROADCASTSS (R10)(R8*2), Y15
	VFMADD231PS  Y12, Y14, Y8
	VFMADD231PS  Y13, Y14, Y9
	VFMADD231PS  Y12, Y15, Y10
	VFMADD231PS  Y13, Y15, Y11
	ADDQ         $4, SI
	ADDQ         $4, R10
	ADDQ         $64, DI
	DECQ         CX
	JNZ          tileLoop

	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	ADDQ    R9, DX
	VMOVUPS Y2, (DX)
	VMOVUPS Y3, 32(DX)
	ADDQ    R9, DX
	VMOVUPS Y4, (DX)
	VMOVUPS Y5, 32(DX)
	ADDQ    R9, DX
	VMOVUPS Y6, (DX)
	VMOVUPS Y7, 32(DX)
	ADDQ    R9, DX
	VMOVUPS Y8, (DX)
	VMOVUPS Y9, 32(DX)
	ADDQ    R9, DX
	VMOVUPS Y10, (DX)
	VMOVUPS Y11, 32(DX)
	VZEROUPPER
	RET

// func largestAVX2(row *float32, length int) float32
TEXT ·largestAVX2(SB), NOSPLIT, $0-20
	MOVQ    row+0(FP), SI
	MOVQ    length+8(FP), CX
	VMOVUPS (SI), Y0

largestLoop:
	VMAXPS (SI), Y0, Y0
	ADDQ   $32, SI
	SUBQ   $8, CX
	JNZ    largestLoop

	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET

// func exponentialsAVX2(row *float32, length int, shift, scale float32) float32
TEXT ·exponentialsAVX2(SB), NOSPLIT, $0-28
	MOVQ         row+0(FP), SI
	MOVQ         length+8(FP), CX
	VBROADCASTSS shift+16(FP), Y15
	VBROADCASTSS scale+20(FP), Y14
	VXORPS       Y13, Y13, Y13 // the sum
	VBROADCASTSS expLowest<>(SB), Y12
	VBROADCASTSS expLog2e<>(SB), Y11
	VBROADCASTSS expLn2High<>(SB), Y10
	VBROADCASTSS expLn2Low<>(SB), Y9
	VBROADCASTSS one<>(SB), Y8
	VBROADCASTSS exponentBias<>(SB), Y7
	VBROADCASTSS expP0<>(SB), Y6
	VBROADCASTSS expP5<>(SB), Y5

expLoop:
	VMOVUPS      (SI), Y0
	VSUBPS       Y15, Y0, Y0
	VMULPS       Y14, Y0, Y0
	VMAXPS       Y12, Y0, Y0
	VMULPS       Y11, Y0, Y1
	VROUNDPS     $0, Y1, Y1     // n
	VFNMADD231PS Y10, Y1, Y0
	VFNMADD231PS Y9, Y1, Y0     // r
	VBROADCASTSS expP1<>(SB), Y2
	VFMADD231PS  Y6, Y0, Y2
	VBROADCASTSS expP2<>(SB), Y3
	VFMADD231PS  Y2, Y0, Y3
	VBROADCASTSS expP3<>(SB), Y2
	VFMADD231PS  Y3, Y0, Y2
	VBROADCASTSS expP4<>(SB), Y3
	VFMADD231PS  Y2, Y0, Y3
	VMOVAPS      Y5, Y2
	VFMADD231PS  Y3, Y0, Y2
	VMULPS       Y0, Y0, Y3
	VADDPS       Y8, Y0, Y0
	VFMADD231PS  Y2, Y3, Y0     // 1 + r + r²·P(r)
	VCVTPS2DQ    Y1, Y1
	VPADDD       Y7, Y1, Y1
	VPSLLD       $23, Y1, Y1    // 2^n
	VMULPS       Y1, Y0, Y0
	VADDPS       Y0, Y13, Y13
	VMOVUPS      Y0, (SI)
	ADDQ         $32, SI
	SUBQ         $8, CX
	JNZ          expLoop

	VEXTRACTF128 $1, Y13, X1
	VADDPS       X1, X13, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDPS       X1, X0, X0
	VMOVSS       X0, ret+24(FP)
	VZEROUPPER
	RET

// func geluAVX2(row, bias *float32, length int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-24
	MOVQ         row+0(FP), SI
	MOVQ         bias+8(FP), DI
	MOVQ         length+16(FP), CX
	VBROADCASTSS halfRoot<>(SB), Y15
	VBROADCASTSS erfBound<>(SB), Y14
	VBROADCASTSS erfLowest<>(SB), Y13
	VBROADCASTSS half<>(SB), Y12
	VBROADCASTSS one<>(SB), Y11
	VBROADCASTSS erfP13<>(SB), Y10
	VBROADCASTSS erfQ8<>(SB), Y9
	VBROADCASTSS erfP11<>(SB), Y8
	VBROADCASTSS erfQ6<>(SB), Y7

geluLoop:
	VMOVUPS      (SI), Y0
	VADDPS       (DI), Y0, Y0      // x
	VMULPS       Y15, Y0, Y1
	VCMPPS       $0x16, Y13, Y1, Y6 // where x/√2 > -4, or is no number; below, GELU is 0
	VMINPS       Y14, Y1, Y1
	VMAXPS       Y13, Y1, Y1       // t
	VMULPS       Y1, Y1, Y2        // t²
	VMOVAPS      Y8, Y3
	VFMADD231PS  Y10, Y2, Y3
	VBROADCASTSS erfP9<>(SB), Y4
	VFMADD231PS  Y3, Y2, Y4
	VBROADCASTSS erfP7<>(SB), Y3
	VFMADD231PS  Y4, Y2, Y3
	VBROADCASTSS erfP5<>(SB), Y4
	VFMADD231PS  Y3, Y2, Y4
	VBROADCASTSS erfP3<>(SB), Y3
	VFMADD231PS  Y4, Y2, Y3
	VBROADCASTSS erfP1<>(SB), Y4
	VFMADD231PS  Y3, Y2, Y4
	VMULPS       Y4, Y1, Y1        // t·P(t²)
	VMOVAPS      Y7, Y3
	VFMADD231PS  Y9, Y2, Y3
	VBROADCASTSS erfQ4<>(SB), Y4
	VFMADD231PS  Y3, Y2, Y4
	VBROADCASTSS erfQ2<>(SB), Y3
	VFMADD231PS  Y4, Y2, Y3
	VBROADCASTSS erfQ0<>(SB), Y4
	VFMADD231PS  Y3, Y2, Y4        // Q(t²)
	VDIVPS       Y4, Y1, Y1        // erf
	VADDPS       Y11, Y1, Y1
	VMULPS       Y12, Y0, Y0
	VMULPS       Y1, Y0, Y0
	VANDPS       Y6, Y0, Y0
	VMOVUPS      Y0, (SI)
	ADDQ         $32, SI
	ADDQ         $32, DI
	SUBQ         $8, CX
	JNZ          geluLoop
	VZEROUPPER
	RET
