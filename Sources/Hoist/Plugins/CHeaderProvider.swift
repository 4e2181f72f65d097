public import CHoist
internal import HoistBase
internal import HoistCore

final class CHeaderProvider: HostAdapter<hoist_header_provider>, HeaderProvider, @unchecked Sendable {
  func headers(for url: String) -> [HTTPHeader]? {
    guard let provide = table.provide else { return [] }
    let sink = HeaderSink()
    let status = Handle.lend(sink) { sink in url.withCString { provide(table.user_data, $0, sink) } }
    return status == Status.ok.rawValue ? sink.headers : nil
  }
}

/// What a `hoist_header_sink` handle points at, during one call.
final class HeaderSink {
  static let maximumHeaders = 64
  var headers: [HTTPHeader] = []
}

@_cdecl("hoist_header_sink_add") @implementation
public func hoist_header_sink_add(
  _ sink: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  guard let sink = Handle<HeaderSink>.borrow(sink), let name = CString.text(name), let value = CString.text(value),
    HeaderText.isSafeName(name), HeaderText.isSafeValue(value)
  else { return Status.argument.rawValue }
  guard sink.headers.count < HeaderSink.maximumHeaders else { return Status.limit.rawValue }
  sink.headers.append(HTTPHeader(name, value))
  return Status.ok.rawValue
}

@_cdecl("hoist_config_set_header_provider") @implementation
public func hoist_config_set_header_provider(
  _ config: OpaquePointer?, _ provider: UnsafePointer<hoist_header_provider>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(config, provider, error, "header provider", \.headerProvider) { CHeaderProvider($0) }
}

/// Headers as C sees them, alive during `body`.
enum CHeaders {
  static func with<Result>(_ headers: [HTTPHeader], _ body: (UnsafePointer<hoist_header>?, Int) -> Result) -> Result {
    let texts = headers.map { (name: CText($0.name), value: CText($0.value)) }
    let table = texts.map {
      hoist_header(struct_size: MemoryLayout<hoist_header>.size, name: $0.name.pointer, value: $0.value.pointer)
    }
    return withExtendedLifetime(texts) { table.withUnsafeBufferPointer { body($0.baseAddress, $0.count) } }
  }

  /// nil for a NULL name or value, invalid UTF-8, control characters, or too many.
  static func read(_ headers: UnsafePointer<hoist_header>?, _ count: Int) -> [HTTPHeader]? {
    guard let told = HostTable.list(headers, count, limit: 1000) else { return nil }
    var list: [HTTPHeader] = []
    for header in told {
      guard let name = CString.text(header.name), let value = CString.text(header.value), HeaderText.isSafeName(name),
        HeaderText.isSafeValue(value)
      else { return nil }
      list.append(HTTPHeader(name, value))
    }
    return list
  }
}
