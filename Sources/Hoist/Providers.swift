internal import HoistBase
internal import HoistCore
internal import HoistFlagship
internal import HoistKameleoon
internal import HoistLaunchDarkly
internal import HoistOptimizely
internal import HoistUnleash

/// The services this library speaks, and those that hosts have registered, in one place.
enum Providers {
  static let builtIn: [any ProviderFactory] = [
    UnleashFactory(), OptimizelyFactory(), LaunchDarklyFactory(), FlagshipFactory(), KameleoonFactory(),
  ]

  private static let registered = LockedValue<[any ProviderFactory]>([])

  static var names: [String] { (builtIn + registered.withLock { $0 }).map(\.name) }

  static func factory(named name: String) -> (any ProviderFactory)? {
    find(name, in: builtIn) ?? registered.withLock { find(name, in: $0) }
  }

  /// - Returns: false when the name is taken.
  static func register(_ factory: any ProviderFactory) -> Bool {
    guard find(factory.name, in: builtIn) == nil else { return false }
    return registered.withLock { known in
      guard find(factory.name, in: known) == nil else { return false }
      known.append(factory)
      return true
    }
  }

  /// - Returns: `.notFound`, or `.unsupported` for a service of the library's own.
  static func unregister(_ name: String) -> Status {
    guard find(name, in: builtIn) == nil else { return .unsupported }
    // Released outside the lock: its `release` is host code.
    let gone = registered.withLock { known in
      known.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map { known.remove(at: $0) }
    }
    return gone == nil ? .notFound : .ok
  }

  private static func find(_ name: String, in known: [any ProviderFactory]) -> (any ProviderFactory)? {
    known.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
