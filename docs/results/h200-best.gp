# redhost 0.1.0: best
# Change what you like and draw it again with gnuplot; -e 'directory="DIR/"' draws elsewhere.
if (!exists("directory")) directory = "./"
reset
set encoding utf8
set label 1 "cold input, driver 580.159.04, 2026-11-20, redhost 0.1.0" at character 1, character 0.8 left noenhanced font ",9" textcolor rgb "#666666"
set label 2 "Best strategy on NVIDIA H200" at character 1.2, screen 1 offset 0, character -1.6 left font ",15" noenhanced
set tmargin 3.2
set bmargin 5.2
set border 3 linecolor rgb "#666666"
set tics nomirror out textcolor rgb "#333333"
set grid linecolor rgb "#e0e0e0" linetype 1 linewidth 0.7
set border 0
set xlabel "elements"
set tmargin 4.25
set key at graph 0, graph 1 left bottom horizontal Left reverse samplen 1 spacing 1.3 width 2 maxcols 4 textcolor rgb "#333333"
set yrange [2.6:-0.6]
set ytics noenhanced scale 0 ("sum u8" 0, "sum f32" 1, "sum f64" 2)
set xrange [-0.6:6.6]
set xtics scale 0 ("2^{10}" 0, "2^{13}" 1, "2^{16}" 2, "2^{19}" 3, "2^{22}" 4, "2^{25}" 5, "2^{28}" 6)
unset grid
$w0 << EOD
2 0 A
3 0 A
4 0 A
5 0 A
6 0 A
2 1 A
3 1 A
4 1 A
5 1 A
6 1 A
1 2 A
2 2 A
3 2 A
4 2 A
5 2 A
6 2 A
EOD
$w1 << EOD
0 0 B
1 0 B
0 1 B
1 1 B
0 2 B
EOD
$w2 << EOD
EOD
$peers << EOD
EOD

set terminal pngcairo size 1600,552 enhanced font "sans-serif,12" fontscale 1.5 linewidth 2 pointscale 2 background "#ffffff"
set output directory."h200.png"
plot $w0 using 1:2:(0.5):(0.42) with boxxyerror fillstyle solid 0.85 noborder linecolor rgb "#0072b2" title "A  onepass" noenhanced, \
  $w0 using 1:2:3 with labels font ",11" textcolor rgb "#ffffff" notitle, \
  $w1 using 1:2:(0.5):(0.42) with boxxyerror fillstyle solid 0.85 noborder linecolor rgb "#d55e00" title "B  native" noenhanced, \
  $w1 using 1:2:3 with labels font ",11" textcolor rgb "#ffffff" notitle
unset output
