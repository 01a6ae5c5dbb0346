# Draws docs/heavy_top.svg from the tables that docs/draw.sh makes in the folder `work`: `trace` (t, x, y, z) and one
# table (step, error) a method.
if (form eq 'svg') {
  set terminal svg size 1180,560 font 'Helvetica,15' background '#ffffff'
} else {
  set terminal pngcairo size 1180,560 font 'Helvetica,11' background '#ffffff'
}
set output output
ink = '#1d2a36'
soft = '#55636f'
faint = '#dde3e8'
set multiplot

# ---- left: the path of the mass centre on its sphere, seen from below ------------------------------------------
set origin 0, 0
set size 0.49, 1
set size ratio -1
set lmargin 0
set rmargin 0
set tmargin 0
set bmargin 0
unset border
unset tics
unset key
set xrange [-1.1:1.42]
set yrange [-1.22:1.2]

# The eye: azimuth and height above the horizon, orthographic.
azimuth = 0.9
height = -0.55
right(x, y) = cos(azimuth) * y - sin(azimuth) * x
up(x, y, z) = cos(height) * z - sin(height) * (cos(azimuth) * x + sin(azimuth) * y)
towards(x, y, z) = cos(height) * (cos(azimuth) * x + sin(azimuth) * y) + sin(height) * z

# Circles of latitude and meridians, those behind fainter.
px(b, l) = cos(b) * cos(l)
py(b, l) = cos(b) * sin(l)
half(side, b, l) = side * towards(px(b, l), py(b, l), sin(b)) >= 0 ? right(px(b, l), py(b, l)) : NaN
rise(b, l) = up(px(b, l), py(b, l), sin(b))
shade(side) = side > 0 ? '#c9d2da' : '#eef1f4'
latitude(k) = (k - 3) * pi / 6
meridian(k) = k * pi / 6
set parametric
set trange [0:2*pi]
set samples 121

set palette defined (0 '#0b3c6f', 0.35 '#2a7fbf', 0.65 '#e08a1e', 1 '#b3202c')
set cbrange [0:10]
set colorbox user origin 0.435, 0.12 size 0.009, 0.34
set cbtics 2 scale 0.3 textcolor rgb soft
set cblabel 'time / s' offset -0.6, 0 textcolor rgb soft
set label 1 'Heavy top, 10 s: path of the mass centre' at screen 0.015, 0.955 textcolor rgb ink font ',17'

plot for [side = -1:1:2] for [k = 1:5] half(side, latitude(k), t), rise(latitude(k), t) \
       with lines linewidth 1 linecolor rgb shade(side), \
     for [side = -1:1:2] for [k = 0:5] half(side, t, meridian(k)), rise(t, meridian(k)) \
       with lines linewidth 1 linecolor rgb shade(side), \
     cos(t), sin(t) with lines linewidth 1.4 linecolor rgb '#8a97a3', \
     work.'/trace' using (towards($2, $3, $4) < 0 ? right($2, $3) : NaN):(up($2, $3, $4)):1 \
       with lines linewidth 1.1 linecolor palette, \
     work.'/trace' using (towards($2, $3, $4) >= 0 ? right($2, $3) : NaN):(up($2, $3, $4)):1 \
       with lines linewidth 2.6 linecolor palette

# ---- right: error against step ----------------------------------------------------------------------------------
unset parametric
unset colorbox
unset label
set origin 0.5, 0
set size 0.5, 1
set size noratio
set lmargin at screen 0.585
set rmargin at screen 0.865
set tmargin at screen 0.86
set bmargin at screen 0.13
set border 3 linecolor rgb '#8a97a3'
set logscale xy
set xrange [5e-5:4.5e-3]
set yrange [1e-13:1]
set format y '10^{%T}'
set format x '10^{%T}'
set xtics nomirror scale 0.6 textcolor rgb soft
set ytics 1e2 nomirror scale 0.6 textcolor rgb soft
set grid xtics ytics linetype 1 linecolor rgb faint linewidth 1
set xlabel 'step / s' textcolor rgb soft offset 0, 0.3
set ylabel 'error of the mass centre after 1 s / m' textcolor rgb soft offset 0.5, 0
set label 1 'Each method keeps its order' at screen 0.555, 0.955 textcolor rgb ink font ',17'

names = 'lie-midpoint cg3 cf4 rkmk-dopri5 rkmk-fehlberg78'
orders = '2 3 4 5 8'
colours = '#7a8793 #3f8f5b #0b3c6f #e08a1e #b3202c'
# Below, rounding rules; above, the step is too long for an order to be seen.
shown(error) = error > 1e-13 && error < 0.5 ? error : NaN
lifts = '1.05 0.4 -0.1 0 0'
do for [i = 1:5] {
  stats work.'/'.word(names, i) using (shown($2)) nooutput
  set label 1 + i word(names, i).': '.word(orders, i) at first 4.7e-3, first STATS_max \
    offset 0, real(word(lifts, i)) textcolor rgb word(colours, i)
}
plot for [i = 1:5] work.'/'.word(names, i) using 1:(shown($2)) with linespoints linewidth 2.2 pointtype 7 pointsize 0.45 \
  linecolor rgb word(colours, i)
unset multiplot
