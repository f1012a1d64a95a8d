# SPDX-License-Identifier: GPL-2.0-or-later
# nix-build tools/packaging/recipes, in the source tree; then WIRESHARK_PLUGIN_DIR=$PWD/result/lib/wireshark/plugins tshark ...
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "wiretrace";
  version = "0.4.0";
  src = ../../..;
  nativeBuildInputs = [ pkgs.cmake pkgs.pkg-config ];
  buildInputs = [
    pkgs.elfutils
    pkgs.glib
    pkgs.json-glib
    pkgs.libiberty
    pkgs.wireshark-cli
    pkgs.zlib
  ];
  cmakeFlags = [ "-DWIRETRACE_TESTS=OFF" ];
  installPhase = ''
    cmake --install . --component package --prefix $out
  '';
  meta = {
    description = "Wireshark plugins for XRay, Cacheray and ovni traces";
    license = pkgs.lib.licenses.gpl2Plus;
  };
}
