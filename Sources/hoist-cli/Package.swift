// swift-tools-version: 6.1
import PackageDescription

/// A folder with the argument parser, for where there is no network.
let parser = Context.environment["HOIST_ARGUMENT_PARSER"] ?? ""

/// The command-line tool: a host of libhoist.so like any other, which sees the public headers and none of the library's
/// sources. The folder of the library is for the build to say (-Xlinker -L…), as CMakeLists.txt does.
let package = Package(
  name: "hoist-tool",
  dependencies: [
    parser.isEmpty
      ? .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
      : .package(name: "swift-argument-parser", path: parser)
  ],
  targets: [
    .executableTarget(
      name: "hoist-cli",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: ".", exclude: ["README.md", "Forwarding/CHoistKafka"],
      swiftSettings: [
        .unsafeFlags([
          "-I", "\(Context.packageDirectory)/../../Include", "-I", "\(Context.packageDirectory)/Forwarding/CHoistKafka",
        ])
      ],
      linkerSettings: [.linkedLibrary("hoist")])
  ],
  swiftLanguageModes: [.v6]
)
