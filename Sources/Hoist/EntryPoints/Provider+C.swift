public import CHoist
internal import HoistBase
internal import HoistCore

@_cdecl("hoist_provider_register") @implementation
public func hoist_provider_register(
  _ provider: UnsafePointer<hoist_provider>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let provider else { return slot.fail(.argument, "the provider table is NULL") }
  let size = provider.pointee.struct_size
  guard let table = HostTable.read(provider, size: size, zero: hoist_provider()) else {
    return slot.fail(.argument, "struct_size of the provider table is \(size), which is no size of such a table")
  }
  do throws(PluginRefusal) {
    let factory = HostedFactory(description: try HostedDescription(HostedTable(table)))
    if Providers.register(factory) { return Status.ok.rawValue }
    return slot.fail(.state, "there is a provider \"\(factory.name)\" already")
  } catch {
    return slot.fail(error.status, error.message)
  }
}

@_cdecl("hoist_provider_unregister") @implementation
public func hoist_provider_unregister(
  _ name: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  let slot = ErrorSlot(error)
  guard let name = CString.text(name) else { return slot.fail(.argument, "the provider's name is NULL or not UTF-8") }
  let status = Providers.unregister(name)
  switch status {
  case .ok: return status.rawValue
  case .unsupported: return slot.fail(status, "the provider \"\(name)\" is the library's own")
  default: return slot.fail(status, "there is no provider \"\(name)\"")
  }
}

@_cdecl("hoist_provider_reply_complete") @implementation
public func hoist_provider_reply_complete(_ reply: OpaquePointer?, _ status: hoist_status) {
  HostedReply.complete(reply, Status(rawValue: status))
}

@_cdecl("hoist_request_sink_set") @implementation
public func hoist_request_sink_set(_ sink: OpaquePointer?, _ request: UnsafePointer<hoist_http_request>?) -> hoist_status {
  guard let sink = Handle<RequestSink>.borrow(sink) else { return Status.argument.rawValue }
  switch HTTPRequest.read(request, sink.limits) {
  case .success(let read):
    sink.request = read
    return Status.ok.rawValue
  case .failure(let status): return status.rawValue
  }
}
