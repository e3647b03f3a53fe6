/** Made by the build: each file of `islands/` by its name. */
declare module "virtual:islands" {
  import type { ComponentType } from "react";
  const registry: Record<string, () => Promise<{ default: ComponentType<object> }>>;
  export default registry;
}
