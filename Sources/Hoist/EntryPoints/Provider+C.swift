public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_provider_register") @implementation
public func hoist_provider_register(
  _ provider: UnsafePointer<hoist_provider>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    guard let provider else { throw Refusal(.argument, "the provider table is NULL") }
    guard let table = HostTable.take(provider) else {
      let size = HostTable.size(of: provider)
      throw Refusal(.argument, "struct_size of the provider table is \(size), which is no size of such a table")
    }
    let factory = HostedFactory(description: try HostedDescription(HostedTable(table)))
    guard Providers.register(factory) else { throw Refusal(.state, "there is a provider \"\(factory.name)\" already") }
  }
}

@_cdecl("hoist_provider_list") @implementation
public func hoist_provider_list() -> OpaquePointer? {
  var writer = JSONWriter()
  writer.array { writer in for name in Providers.names { writer.string(name) } }
  return TextHandle.give(writer.bytes)
}

@_cdecl("hoist_provider_unregister") @implementation
public func hoist_provider_unregister(
  _ name: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  attempt(error) {
    let name = try CString.need(name, "the provider's name")
    switch Providers.unregister(name) {
    case .ok: break
    case .unsupported: throw Refusal(.unsupported, "the provider \"\(name)\" is the library's own")
    case let status: throw Refusal(status, "there is no provider \"\(name)\"")
    }
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
