internal import CShims
internal import HoistCore
internal import HoistFlagship
internal import HoistKameleoon
internal import HoistLaunchDarkly
internal import HoistOptimizely
internal import HoistUnleash

/// The only place where C handles turn into Swift objects and back.
enum Handle<Object: AnyObject> {
  /// A handle that holds the object until `take`.
  static func give(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

  @inline(__always)
  static func borrow(_ handle: OpaquePointer?) -> Object? {
    guard let handle else { return nil }
    return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  /// The same for the length of `body`, without a shared write: the caller keeps the handle alive meanwhile.
  /// - Returns: nil for NULL.
  @inline(__always)
  static func with<Result>(_ handle: OpaquePointer?, _ body: (Object) -> Result) -> Result? {
    guard let handle else { return nil }
    return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle))._withUnsafeGuaranteedRef(body)
  }

  /// - Parameter name: of the handle, for the message.
  static func need(_ handle: OpaquePointer?, _ name: String) throws(Refusal) -> Object {
    guard let object = borrow(handle) else { throw Refusal(.argument, "\(name) is NULL") }
    return object
  }

  /// A handle for the length of `body`.
  static func lend<Result>(_ object: Object, _ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(object) { body(lent(object)) }
  }

  /// A borrowed handle: valid while another owner keeps the object.
  static func lent(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passUnretained(object).toOpaque()) }

  static func take(_ handle: OpaquePointer?) {
    guard let handle else { return }
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}

/// Client handles point at raw memory, which the hot path reads without touching the object.
enum ClientHandle {
  static func give(_ client: Client) -> OpaquePointer {
    _ = Unmanaged.passRetained(client)
    return OpaquePointer(client.hot)
  }

  /// nil for NULL and for memory that is no client.
  static func borrow(_ handle: OpaquePointer?) -> Client? {
    guard let hot = hot(handle), let object = hot.pointee.object else { return nil }
    return Unmanaged<Client>.fromOpaque(object).takeUnretainedValue()
  }

  static func need(_ handle: OpaquePointer?) throws(Refusal) -> Client {
    guard let client = borrow(handle) else { throw Refusal(.argument, "client is NULL") }
    return client
  }

  @inline(__always)
  static func hot(_ handle: OpaquePointer?) -> UnsafeMutablePointer<shim_hot>? {
    guard let handle else { return nil }
    let hot = UnsafeMutablePointer<shim_hot>(handle)
    return hot.pointee.magic == HotPath.clientMagic ? hot : nil
  }

  static func take(_ handle: OpaquePointer?) {
    // A further environment belongs to the first one.
    guard let client = borrow(handle), client.environment.isEmpty else { return }
    if SharedClients.process.free(client) { Unmanaged.passUnretained(client).release() }
  }
}

/// Context handles likewise.
enum ContextHandle {
  static func give(_ context: EvaluationContext) -> OpaquePointer {
    _ = Unmanaged.passRetained(context)
    return OpaquePointer(context.subject)
  }

  static func borrow(_ handle: OpaquePointer?) -> EvaluationContext? {
    guard let subject = subject(handle), let object = subject.pointee.object else { return nil }
    return Unmanaged<EvaluationContext>.fromOpaque(object).takeUnretainedValue()
  }

  @inline(__always)
  static func subject(_ handle: OpaquePointer?) -> UnsafeMutablePointer<shim_subject>? {
    guard let handle else { return nil }
    let subject = UnsafeMutablePointer<shim_subject>(handle)
    return subject.pointee.magic == ContextMagic.value ? subject : nil
  }

  /// A context as it is now; nil for NULL.
  static func reference(_ handle: OpaquePointer?) throws(Refusal) -> ContextReference? {
    guard handle == nil || borrow(handle) != nil else { throw Refusal(.argument, "context is none") }
    return borrow(handle)?.reference()
  }

  static func take(_ handle: OpaquePointer?) {
    guard let context = borrow(handle) else { return }
    Unmanaged.passUnretained(context).release()
  }
}

/// What a service offers beyond what all clients can.
protocol ServiceFace {
  /// nil for clients of other services.
  init?(_ client: Client)
}

extension UnleashFace: ServiceFace {}
extension OptimizelyFace: ServiceFace {}
extension LaunchDarklyFace: ServiceFace {}
extension LaunchDarklyAnyFace: ServiceFace {}
extension FlagshipFace: ServiceFace {}
extension KameleoonFace: ServiceFace {}

extension ServiceFace {
  /// nil for NULL and for clients of other services.
  static func of(_ client: OpaquePointer?) -> Self? { ClientHandle.borrow(client).flatMap { Self($0) } }

  /// - Throws: `.argument` for NULL, `.unsupported` for a client of another service.
  static func need(_ client: OpaquePointer?) throws(Refusal) -> Self {
    guard let face = Self(try ClientHandle.need(client)) else { throw Refusal(.unsupported, "the client is of another service") }
    return face
  }
}
