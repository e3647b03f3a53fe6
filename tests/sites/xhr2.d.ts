declare module "xhr2" {
  const Xhr: unknown;
  export default Xhr;
}
