import { makeHead } from "@/tests/phantom/head.ts";
import { scanT1, CONDITIONS } from "@/tests/phantom/conditions.ts";
import { T1_SERIES } from "@/tests/phantom/series.ts";
const D="/tmp/longitudinal-data/";
const save=(p:string,v:any)=>{const n=v.voxels.length;const b=new Uint8Array(140+4*n);const d=new DataView(b.buffer);v.shape.forEach((s:number,i:number)=>d.setUint32(4*i,s,true));(v.rasFromIjk as Float64Array).forEach((x,i)=>d.setFloat64(12+8*i,x,true));new Uint8Array(b.buffer,140).set(new Uint8Array(Float32Array.from(v.voxels).buffer));Deno.writeFileSync(p,b)};
const truth=(h:any)=>{const c=new Array(106).fill(0);for(const l of h.labels)c[l]++;const f=(h.resolutionMm*h.options.scale)**3;return c.map((x:number)=>x*f).slice(0,105)};
const U=CONDITIONS[0]!;
const heads:[string,any,any][]=[
 ["p0",{ventriclesMm:[-0.9,-1.8],poseDeg:[4,2,-3]},{noisePercent:3,biasPercent:20}],
 ["p1",{ventriclesMm:[-0.9,-1.8],poseDeg:[-3,-5,4],positionMm:[-3,0,3]},{noisePercent:2.5,biasPercent:30}],
 ["p2",{ventriclesMm:[-0.6,-1.5],hippocampiMm:[-0.18,-0.18],poseDeg:[0,3,1],positionMm:[3,-4,6]},{noisePercent:3,biasPercent:20}],
];
for(const [n,o,c] of heads){const h=makeHead(o);const v=scanT1(h,{...U,...c});save(D+n+".raw",v);Deno.writeTextFileSync(D+n+".truth.json",JSON.stringify({volumes:truth(h)}));console.log(n)}
