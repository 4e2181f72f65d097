internal import HoistBase

/// The name under which a store owns rows, made so that another process on this machine can find out whether the owner
/// still lives: a killed process's rows need not wait for their lease.
///
/// Text form: `boot.namespace.pid.started.fork.nonce`. A process is known by its id together with
/// the time it started, within one boot and one process namespace; where those are not the reader's
/// own (another container on a shared disk), nothing is known and only the lease counts.
public struct OwnerIdentity: Sendable, Equatable {
  public enum Liveness: Sendable, Equatable {
    case alive, dead, unknown
  }

  /// The kernel that runs, and the process namespace; "" where the system does not say.
  var boot: String
  var namespace: String
  var process: Int32
  /// In clock ticks since boot; 0 when unknown.
  var started: UInt64
  var fork: UInt32
  var nonce: UInt64

  /// An identity in the calling process.
  /// - Parameter nonce: random, so that no two stores of the process share it.
  public static func make(nonce: UInt64) -> OwnerIdentity {
    let here = ProcessFacts.current
    return OwnerIdentity(
      boot: here.boot, namespace: here.namespace, process: here.process, started: here.started,
      fork: ForkGeneration.current, nonce: nonce)
  }

  public var text: String {
    "\(boot).\(namespace).\(process).\(started).\(fork).\(String(nonce, radix: 16))"
  }

  /// - Returns: nil for anything that `text` could not have written.
  public init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 6, let process = Int32(parts[2]), process > 0, let started = UInt64(parts[3]),
      let fork = UInt32(parts[4]), let nonce = UInt64(parts[5], radix: 16)
    else { return nil }
    self.init(
      boot: String(parts[0]), namespace: String(parts[1]), process: process, started: started, fork: fork, nonce: nonce)
  }

  init(boot: String, namespace: String, process: Int32, started: UInt64, fork: UInt32, nonce: UInt64) {
    self.boot = boot
    self.namespace = namespace
    self.process = process
    self.started = started
    self.fork = fork
    self.nonce = nonce
  }

  /// Whether the holder still lives, as far as it can be known here.
  public var liveness: Liveness {
    let here = ProcessFacts.current
    guard !boot.isEmpty, !namespace.isEmpty, boot == here.boot, namespace == here.namespace, started != 0 else {
      return .unknown
    }
    if process == here.process && started == here.started {
      return LiveOwners.contains(nonce) ? .alive : .dead
    }
    return ProcessFacts.liveness(of: process, started: started)
  }
}

/// The identities of this process whose stores are open. One that was freed without releasing its rows counts as dead,
/// although its process lives.
enum LiveOwners {
  private final class Box: @unchecked Sendable {
    let lock = Lock()
    var nonces: Set<UInt64> = []
    var count: UInt64 = 0
  }
  private static let box = Box()

  static func contains(_ nonce: UInt64) -> Bool { box.lock.withLock { box.nonces.contains(nonce) } }
  static func remove(_ nonce: UInt64) { box.lock.withLock { _ = box.nonces.remove(nonce) } }
  /// - Parameter random: may come again, also of an owner that has gone: a store that is made for a seed.
  /// - Returns: the nonce, which no other owner of this process has had.
  static func insert(_ random: UInt64) -> UInt64 {
    box.lock.withLock {
      box.count &+= 1
      // An odd factor gives each count a value of its own.
      let nonce = random ^ (box.count &* 0x9E37_79B9_7F4A_7C15)
      box.nonces.insert(nonce)
      return nonce
    }
  }
}
