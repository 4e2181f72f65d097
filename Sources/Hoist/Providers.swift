internal import HoistCore
internal import HoistFlagship
internal import HoistKameleoon
internal import HoistLaunchDarkly
internal import HoistOptimizely
internal import HoistUnleash

/// The services this library speaks, in one place.
enum Providers {
  static let all: [any ProviderFactory] = [
    UnleashFactory(), OptimizelyFactory(), LaunchDarklyFactory(), FlagshipFactory(), KameleoonFactory(),
  ]

  static var names: [String] { all.map(\.name) }

  static func factory(named name: String) -> (any ProviderFactory)? {
    all.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
