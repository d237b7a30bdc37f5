/** Frames after which React Aria has returned the focus from what closes, such as a menu or a dialog. */
export const focusReturnFrames = 3;
