// swift-tools-version: 6.1
import PackageDescription

/// Modules in the order of their level: an arrow points only to a target above it.
/// Link-time choices of the shared library (soname, version script, static Swift
/// runtime) are passed by CMakeLists.txt, so that the package can be a dependency.
let package = Package(
  name: "hoist",
  products: [
    .library(name: "hoist", type: .dynamic, targets: ["Hoist"]),
    .executable(name: "hoist-conformance", targets: ["hoist-conformance"]),
  ],
  targets: [
    // Level 0: C. Public headers, our own shims, module maps of system libraries.
    .systemLibrary(name: "CHoist", path: "Include"),
    .target(name: "CShims", exclude: ["README.md"]),
    .target(name: "CCurl"),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),

    // Levels 1 to 3: the core, which names no vendor.
    .target(name: "HoistBase", dependencies: ["CShims"], exclude: ["README.md"]),
    .target(
      name: "HoistJSON", dependencies: ["HoistBase", "CJansson", "CShims"], exclude: ["README.md"]),
    .target(
      name: "HoistPropertyList", dependencies: ["HoistBase", "HoistJSON", "CExpat"], exclude: ["README.md"]),
    .target(
      name: "HoistCore", dependencies: ["HoistBase", "HoistJSON", "CShims"], exclude: ["README.md", "Pipeline/README.md"]),

    // Level 4: built-in implementations of the core's seams, and one provider per service.
    .target(
      name: "HoistCurl", dependencies: ["HoistCore", "HoistBase", "CCurl", "CZlib", "CShims"], exclude: ["README.md"]),
    .target(
      name: "HoistSQLite", dependencies: ["HoistCore", "HoistBase", "CSQLite", "CZlib", "CShims"], exclude: ["README.md"]),
    .target(name: "HoistRegex", dependencies: ["HoistCore", "HoistBase", "CPCRE2"], exclude: ["README.md"]),
    .target(name: "HoistStandardLog", dependencies: ["HoistCore", "HoistBase"]),
    .target(
      name: "HoistUnleash", dependencies: ["HoistCore", "HoistJSON", "HoistBase", "CShims"], exclude: ["README.md"]),
    .target(name: "HoistOptimizely", dependencies: ["HoistCore", "HoistJSON", "HoistBase", "CShims"], exclude: ["README.md"]),
    .target(
      name: "HoistLaunchDarkly", dependencies: ["HoistCore", "HoistJSON", "HoistBase", "CShims"], exclude: ["README.md"]),
    .target(name: "HoistFlagship", dependencies: ["HoistCore", "HoistJSON", "HoistBase", "CShims"], exclude: ["README.md"]),
    .target(
      name: "HoistKameleoon", dependencies: ["HoistPropertyList", "HoistCore", "HoistJSON", "HoistBase", "CShims"],
      exclude: ["README.md"]),

    // Level 5: the Swift face and the C entry points.
    .target(
      name: "Hoist",
      dependencies: [
        "HoistUnleash", "HoistOptimizely", "HoistLaunchDarkly", "HoistFlagship", "HoistKameleoon", "HoistCurl", "HoistSQLite",
        "HoistRegex", "HoistStandardLog", "HoistCore", "HoistJSON", "HoistBase", "CHoist", "CJansson", "CShims",
      ],
      exclude: ["README.md"]),

    // Runs files of test vectors over the modules.
    .target(
      name: "ConformanceKit",
      dependencies: [
        "HoistUnleash", "HoistOptimizely", "HoistLaunchDarkly", "HoistFlagship", "HoistKameleoon", "HoistRegex",
        "HoistUnleashTestSupport", "HoistTestSupport", "HoistCore", "HoistJSON", "HoistBase",
      ],
      path: "Tests/Conformance/Kit"),
    .executableTarget(name: "hoist-conformance", dependencies: ["ConformanceKit"], path: "Tests/Conformance/Tool"),

    // Tests mirror the modules.
    .target(
      name: "HoistTestSupport", dependencies: ["HoistCore", "HoistJSON", "HoistBase"],
      path: "Tests/HoistTestSupport"),
    .target(
      name: "HoistUnleashTestSupport", dependencies: ["HoistUnleash", "HoistTestSupport", "HoistCore", "HoistBase"],
      path: "Tests/HoistUnleashTestSupport"),
    .testTarget(name: "HoistBaseTests", dependencies: ["HoistBase", "HoistTestSupport"]),
    .testTarget(name: "HoistJSONTests", dependencies: ["HoistJSON", "HoistTestSupport"]),
    .testTarget(name: "HoistCoreTests", dependencies: ["HoistCore", "HoistTestSupport"]),
    .testTarget(name: "HoistCurlTests", dependencies: ["HoistCurl", "HoistTestSupport"]),
    .executableTarget(
      name: "hoist-store-probe", dependencies: ["HoistSQLite", "HoistCurl", "HoistCore", "HoistBase"],
      path: "Tests/Faults/StoreProbe"),
    .testTarget(name: "HoistSQLiteTests", dependencies: ["HoistSQLite", "HoistTestSupport", "hoist-store-probe", "CSQLite"]),
    .testTarget(name: "HoistPropertyListTests", dependencies: ["HoistPropertyList"]),
    .testTarget(name: "HoistRegexTests", dependencies: ["HoistRegex", "HoistJSON", "HoistTestSupport"]),
    .testTarget(
      name: "HoistUnleashTests",
      dependencies: [
        "HoistUnleash", "HoistRegex", "HoistTestSupport", "HoistUnleashTestSupport", "ConformanceKit",
      ]),
    .testTarget(
      name: "HoistOptimizelyTests", dependencies: ["HoistOptimizely", "HoistTestSupport", "ConformanceKit"]),
    .testTarget(
      name: "HoistLaunchDarklyTests", dependencies: ["HoistLaunchDarkly", "HoistTestSupport", "ConformanceKit"]),
    .testTarget(name: "HoistFlagshipTests", dependencies: ["HoistFlagship", "HoistTestSupport", "ConformanceKit"]),
    .testTarget(
      name: "HoistKameleoonTests", dependencies: ["HoistKameleoon", "HoistRegex", "HoistTestSupport", "ConformanceKit"]),
    .testTarget(name: "HoistTests", dependencies: ["Hoist", "HoistStandardLog", "CHoist", "HoistTestSupport"]),

    // The core over a simulated machine and network, from a seed.
    .executableTarget(
      name: "hoist-simulation", dependencies: ["HoistCore", "HoistTestSupport", "HoistBase"], path: "Tests/Simulation/Tool"),

    // Parsers of outside bytes: the corpus is replayed by the tests, searched on by Tests/Fuzz/run.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "HoistUnleash", "HoistOptimizely", "HoistLaunchDarkly", "HoistFlagship", "HoistKameleoon", "HoistPropertyList",
        "HoistTestSupport", "HoistRegex", "HoistCore", "HoistJSON", "HoistBase",
      ],
      path: "Tests/Fuzz/Targets"),
    .executableTarget(name: "hoist-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Tool"),
    .testTarget(
      name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "HoistTestSupport", "HoistBase"], path: "Tests/Fuzz/Replay"),
  ],
  swiftLanguageModes: [.v6]
)
