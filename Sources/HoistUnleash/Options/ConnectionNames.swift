internal import HoistBase

/// The ids under which a process speaks to the service (protocol B.1). Drawn once; a forked child, which counts
/// and sends for itself, draws its own (G9).
final class ConnectionNames: @unchecked Sendable {
  struct Names {
    var connection: String
    var instance: String
  }

  private let givenInstance: String
  private let entropy: any Entropy
  private let lock = Lock()
  private var names: Names
  private var generation = ForkGeneration.current

  /// - Parameter instance: the host's choice, which its children share; empty draws one.
  init(instance: String, entropy: any Entropy) {
    givenInstance = instance
    self.entropy = entropy
    names = Self.draw(instance, entropy)
  }

  /// Callable from any thread.
  var current: Names {
    lock.withLock {
      if generation != ForkGeneration.current {
        generation = ForkGeneration.current
        names = Self.draw(givenInstance, entropy)
      }
      return names
    }
  }

  private static func draw(_ instance: String, _ entropy: any Entropy) -> Names {
    let connection = UUIDv4(from: entropy).text
    return Names(connection: connection, instance: instance.isEmpty ? "hoist-" + connection.prefix(8) : instance)
  }
}
