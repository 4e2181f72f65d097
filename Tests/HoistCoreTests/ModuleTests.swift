import Testing
@testable import HoistCore
