// swift-tools-version: 6.1
import PackageDescription

/// The command-line tool: a host of libhoist.so like any other, which sees the public headers and none of the library's
/// sources. The folder of the library is for the build to say (-Xlinker -L…), as CMakeLists.txt does.
let package = Package(
  name: "hoist-tool",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .executableTarget(
      name: "hoist-cli",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: ".", exclude: ["README.md"],
      swiftSettings: [.unsafeFlags(["-I", "\(Context.packageDirectory)/../../Include"])],
      linkerSettings: [.linkedLibrary("hoist")])
  ],
  swiftLanguageModes: [.v6]
)
