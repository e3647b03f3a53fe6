const conv = (name: string, filters: number, size: number, dilation: number) => ({
  class_name: "Conv3D",
  config: {
    name,
    filters,
    kernel_size: [size, size, size],
    strides: [1, 1, 1],
    dilation_rate: [dilation, dilation, dilation],
    padding: "same",
    activation: "linear",
    use_bias: true,
  },
});

/** A model.json of the network that the engine runs; `change` may spoil it. */
export function topologyText(
  // deno-lint-ignore no-explicit-any -- a test spoils whatever it likes
  change: (json: any) => void = () => {},
): string {
  const dilations = [1, 2, 4, 8, 16, 8, 4, 2, 1];
  const layers = [
    { class_name: "InputLayer", config: { name: "input" } },
    ...dilations.flatMap((d, i) => [
      conv(`conv${i}`, 30, 3, d),
      { class_name: "Activation", config: { name: `activation${i}`, activation: "elu" } },
    ]),
    conv("output", 50, 1, 1),
  ];
  const tensors = (name: string, size: number, from: number, to: number) => [
    { name: `${name}/kernel`, shape: [size, size, size, from, to], dtype: "float32" },
    { name: `${name}/bias`, shape: [to], dtype: "float32" },
  ];
  const weights = dilations.flatMap((_, i) => tensors(`conv${i}`, 3, i === 0 ? 1 : 30, 30));
  const json = {
    format: "layers-model",
    modelTopology: { model_config: { config: { layers } } },
    weightsManifest: [{ paths: ["model.bin"], weights: [...weights, ...tensors("output", 1, 30, 50)] }],
  };
  change(json);
  return JSON.stringify(json);
}
