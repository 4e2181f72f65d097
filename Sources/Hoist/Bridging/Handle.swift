internal import CShims
internal import HoistCore

/// The only place where C handles turn into Swift objects and back.
enum Handle<Object: AnyObject> {
  /// A handle that holds the object until `take`.
  static func give(_ object: Object) -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(object).toOpaque()) }

  @inline(__always)
  static func borrow(_ handle: OpaquePointer?) -> Object? {
    guard let handle else { return nil }
    return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  /// The same for the length of `body`, without a shared write: whoever calls keeps the handle meanwhile.
  /// - Returns: nil for NULL.
  @inline(__always)
  static func with<Result>(_ handle: OpaquePointer?, _ body: (Object) -> Result) -> Result? {
    guard let handle else { return nil }
    return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle))._withUnsafeGuaranteedRef(body)
  }

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

  @inline(__always)
  static func hot(_ handle: OpaquePointer?) -> UnsafeMutablePointer<shim_hot>? {
    guard let handle else { return nil }
    let hot = UnsafeMutablePointer<shim_hot>(handle)
    return hot.pointee.magic == HotPath.clientMagic ? hot : nil
  }

  static func take(_ handle: OpaquePointer?) {
    // A further environment belongs to the first one.
    guard let client = borrow(handle), client.environment.isEmpty else { return }
    client.dispose()
    Unmanaged.passUnretained(client).release()
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

  static func take(_ handle: OpaquePointer?) {
    guard let context = borrow(handle) else { return }
    Unmanaged.passUnretained(context).release()
  }
}
