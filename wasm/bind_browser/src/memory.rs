//! Memory and the end of a program without the standard library. The few pieces that the kernels ask for are large and
//! live long, so one list of what is free, searched from its beginning, is enough.

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size, unreachable};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::ptr::null_mut;

/// Pieces begin at, and are as long as, a multiple of this: a SIMD register, and enough for a [`Free`].
const GRAIN: usize = 64;
const PAGE: usize = 1 << 16;

/// A free piece; it stands in the piece itself.
#[derive(Clone, Copy)]
struct Free {
    bytes: usize,
    /// The next free piece of a higher address; 0 after the last one.
    next: usize,
}

/// Free pieces in the order of their addresses; none of them touches the next. `first` is the head of the list.
struct Pieces {
    first: UnsafeCell<Free>,
}

// SAFETY: a module without threads: its memory is not shared.
unsafe impl Sync for Pieces {}

#[global_allocator]
static PIECES: Pieces = Pieces { first: UnsafeCell::new(Free { bytes: 0, next: 0 }) };

/// Whole grains; never so many that a sum with an address overflows.
fn grains(layout: Layout) -> Option<usize> {
    let bytes = layout.size().max(1).next_multiple_of(GRAIN);
    (layout.align() <= GRAIN && bytes <= isize::MAX as usize).then_some(bytes)
}

impl Pieces {
    /// Puts a piece among the free ones and joins it with those that it touches.
    ///
    /// # Safety
    /// The piece is memory of this list that nobody uses.
    #[inline(never)]
    unsafe fn put(&self, at: usize, bytes: usize) {
        let mut before = self.first.get();
        while (*before).next != 0 && (*before).next < at {
            before = (*before).next as *mut Free;
        }
        let piece = at as *mut Free;
        let next = (*before).next;
        piece.write(if next != 0 && next == at + bytes {
            Free { bytes: bytes + (*(next as *mut Free)).bytes, next: (*(next as *mut Free)).next }
        } else {
            Free { bytes, next }
        });
        if before as usize + (*before).bytes == at {
            (*before) = Free { bytes: (*before).bytes + (*piece).bytes, next: (*piece).next };
        } else {
            (*before).next = at;
        }
    }

    /// Takes the end of the first free piece that is large enough; 0 when there is none.
    ///
    /// # Safety
    /// Nobody else uses the list.
    unsafe fn take(&self, bytes: usize) -> usize {
        let mut before = self.first.get();
        while (*before).next != 0 {
            let piece = (*before).next as *mut Free;
            if (*piece).bytes == bytes {
                (*before).next = (*piece).next;
                return piece as usize;
            }
            if (*piece).bytes > bytes {
                (*piece).bytes -= bytes;
                return piece as usize + (*piece).bytes;
            }
            before = piece;
        }
        0
    }
}

// SAFETY: `take` gives pieces that are in no other's hands, of at least the layout's size and alignment; memory that is
// asked of the machine is put among the free pieces first.
unsafe impl GlobalAlloc for Pieces {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(bytes) = grains(layout) else { return null_mut() };
        let mut at = self.take(bytes);
        if at == 0 {
            let end = memory_size(0) * PAGE;
            let pages = bytes.div_ceil(PAGE);
            if memory_grow(0, pages) == usize::MAX {
                return null_mut();
            }
            self.put(end, pages * PAGE);
            at = self.take(bytes);
        }
        at as *mut u8
    }

    /// Memory that was asked of the machine for this piece is zeros already, and takes no room while nobody writes there:
    /// only the head of the list of free pieces, if it stood in it, is cleared.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let end = memory_size(0) * PAGE;
        let pointer = self.alloc(layout);
        if !pointer.is_null() {
            let is_new = pointer as usize >= end;
            pointer.write_bytes(0, if is_new { GRAIN.min(layout.size()) } else { layout.size() });
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if let Some(bytes) = grains(layout) {
            self.put(pointer as usize, bytes);
        }
    }
}

/// A panic ends the module's work: JavaScript sees an error.
#[panic_handler]
fn stop(_: &PanicInfo) -> ! {
    unreachable()
}
