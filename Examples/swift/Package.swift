// swift-tools-version: 6.1
import PackageDescription

/// The first program as a package of its own, which depends on Hoist as any server-side package would.
let package = Package(
  name: "first",
  dependencies: [.package(name: "hoist", path: "../..")],
  targets: [.executableTarget(name: "first", dependencies: [.product(name: "hoist", package: "hoist")])],
  swiftLanguageModes: [.v6]
)
